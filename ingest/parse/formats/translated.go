package formats

// What the C library and bash say in other languages, by the English words. A program whose language is set prints
// these.
var (
	noSuchFile = []string{"Datei oder Verzeichnis nicht gefunden", "Aucun fichier ou dossier de ce type",
		"No existe el fichero o el directorio", "そのようなファイルやディレクトリはありません"}
	noPermission = []string{"Keine Berechtigung", "Permission non accordée", "Permiso denegado", "許可がありません"}
	noCommand    = []string{": Kommando nicht gefunden.", "\u00a0: commande introuvable", ": orden no encontrada",
		": コマンドが見つかりません"}
)

// cutLineWord takes off the word for a line of a script, which stands before its number.
func cutLineWord(text string) string {
	rest, _ := cutAny(text, "line ", "Zeile ", "ligne ", "línea ", "行 ")
	return rest
}
