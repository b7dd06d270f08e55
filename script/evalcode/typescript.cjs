// Prints the symbols and imports of JavaScript and TypeScript files, by the TypeScript compiler: a JSON object for each
// path on stdin. NODE_PATH has to have the package typescript.
const fs = require('fs')
const ts = require('typescript')

function isFunction(e) {
  while (e && (ts.isParenthesizedExpression(e) || ts.isAsExpression?.(e) && false)) return false
  return e && (ts.isFunctionExpression(e) || ts.isArrowFunction(e))
}

for (const path of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = fs.readFileSync(path, 'utf8')
  const kind = /\.(tsx|jsx|js|mjs|cjs)$/.test(path) ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const f = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true,
    /\.(js|jsx|mjs|cjs)$/.test(path) ? ts.ScriptKind.JSX : kind)
  if (f.parseDiagnostics.length > 0) continue
  const symbols = []
  const imports = []
  const line = n => {
    let start = n.getStart()
    for (const m of n.modifiers || []) if (ts.isDecorator(m)) start = Math.max(start, m.getEnd())
    while (/\s/.test(text[start])) start++
    if (text.startsWith('/*', start) || text.startsWith('//', start)) {
      const rest = (n.modifiers || []).find(m => !ts.isDecorator(m) && m.getStart() >= start)
      start = rest ? rest.getStart() : n.name ? n.name.getStart() : start
    }
    return f.getLineAndCharacterOfPosition(start).line + 1
  }
  const at = n => f.getLineAndCharacterOfPosition(n.getStart()).line + 1
  const name = n => !n ? 'default' : ts.isStringLiteralLike(n) || ts.isNumericLiteral(n) ? n.text : n.getText()
  const statements = list => {
    for (const s of list) {
      if (ts.isFunctionDeclaration(s)) symbols.push([name(s.name), 'function', line(s)])
      else if (ts.isClassDeclaration(s)) {
        symbols.push([name(s.name), 'class', line(s)])
        for (const m of s.members) {
          if (ts.isMethodDeclaration(m) || ts.isGetAccessor(m) || ts.isSetAccessor(m)) symbols.push([name(m.name), 'method', line(m)])
          else if (ts.isConstructorDeclaration(m)) symbols.push(['constructor', 'method', line(m)])
        }
      } else if (ts.isInterfaceDeclaration(s)) symbols.push([name(s.name), 'interface', line(s)])
      else if (ts.isTypeAliasDeclaration(s)) symbols.push([name(s.name), 'type', line(s)])
      else if (ts.isEnumDeclaration(s)) symbols.push([name(s.name), 'enum', line(s)])
      else if (ts.isModuleDeclaration(s)) {
        let m = s, n = name(s.name)
        while (m.body && ts.isModuleDeclaration(m.body)) { m = m.body; n += '.' + name(m.name) }
        symbols.push([n, 'module', line(s)])
        if (m.body) statements(m.body.statements)
      } else if (ts.isVariableStatement(s)) {
        s.declarationList.declarations.forEach((d, i) => {
          if (!ts.isIdentifier(d.name)) return
          const flags = s.declarationList.flags
          const k = isFunction(d.initializer) ? 'function' : flags & ts.NodeFlags.Const ? 'const' : 'var'
          symbols.push([d.name.text, k, i === 0 ? line(s) : at(d)])
        })
      }
    }
  }
  statements(f.statements)
  const walk = n => {
    if ((ts.isImportDeclaration(n) || ts.isExportDeclaration(n)) && n.moduleSpecifier) imports.push([n.moduleSpecifier.text, line(n)])
    else if (ts.isImportEqualsDeclaration(n) && ts.isExternalModuleReference(n.moduleReference)) {
      const e = n.moduleReference.expression
      imports.push([e.text, at(n.moduleReference)])
    } else if (ts.isCallExpression(n) && n.arguments.length >= 1 && ts.isStringLiteralLike(n.arguments[0]) &&
      (n.expression.kind === ts.SyntaxKind.ImportKeyword || ts.isIdentifier(n.expression) && n.expression.text === 'require')) {
      imports.push([n.arguments[0].text, at(n.expression)])
    } else if (ts.isImportTypeNode(n) && ts.isLiteralTypeNode(n.argument) && ts.isStringLiteralLike(n.argument.literal)) {
      const at = text.indexOf('import', n.getStart())
      imports.push([n.argument.literal.text, f.getLineAndCharacterOfPosition(at).line + 1])
    }
    if (!ts.isJSDoc(n)) ts.forEachChild(n, walk)
  }
  walk(f)
  console.log(JSON.stringify({ file: path, symbols, imports }))
}
