package formats

// These are messages of the C library and bash in other languages. Each list has the translations of one English
// message. Programs print translations if the environment sets a language.
var (
	noSuchFile = []string{"Datei oder Verzeichnis nicht gefunden", "Aucun fichier ou dossier de ce type",
		"No existe el fichero o el directorio", "そのようなファイルやディレクトリはありません"}
	noPermission = []string{"Keine Berechtigung", "Permission non accordée", "Permiso denegado", "許可がありません"}
	noCommand    = []string{": Kommando nicht gefunden.", "\u00a0: commande introuvable", ": orden no encontrada",
		": コマンドが見つかりません"}
)

// cutLineWord removes the word for "line", which comes before the number of a script's line.
func cutLineWord(text string) string {
	rest, _ := cutAny(text, "line ", "Zeile ", "ligne ", "línea ", "行 ")
	return rest
}
