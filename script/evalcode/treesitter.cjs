// Prints the symbols and imports of source files, by the grammars of tree-sitter: a JSON object for each path on stdin.
// The argument is a language; NODE_PATH has to have the packages web-tree-sitter and tree-sitter-wasms. Files that the
// grammar cannot read without errors are left out.
const fs = require('fs')
const path = require('path')
const Parser = require('web-tree-sitter')

const field = (n, f) => n.childForFieldName(f)?.text
const child = (n, ...types) => n.namedChildren.find(c => types.includes(c.type))?.text
const words = (n, ...types) => n.namedChildren.find(c => types.includes(c.type))

// declarator returns the name of a function of C or C++.
function declarator(n) {
  let d = n
  for (let i = 0; d && i < 20; i++) {
    if (['function_declarator'].includes(d.type)) {
      const inner = d.childForFieldName('declarator')
      if (inner && ['identifier', 'field_identifier', 'destructor_name', 'operator_name', 'operator_cast'].includes(inner.type)) return inner.text
      if (inner && inner.type === 'qualified_identifier') {
        let q = inner
        while (q.type === 'qualified_identifier') q = q.childForFieldName('name')
        return q.type === 'template_function' ? q.childForFieldName('name').text : q.text
      }
      d = inner
      continue
    }
    d = d.childForFieldName('declarator') || d.namedChildren.find(c => /declarator$/.test(c.type))
  }
}

// qualified reports whether the name of a function has the name of a class before it.
function qualified(n) {
  let d = n
  while (d && d.type !== 'function_declarator') d = d.childForFieldName('declarator') || d.namedChildren.find(c => /declarator$/.test(c.type))
  return d?.childForFieldName('declarator')?.type === 'qualified_identifier'
}

const languages = {
  java: {
    into: ['program', 'class_body', 'interface_body', 'enum_body', 'enum_body_declarations', 'annotation_type_body'],
    symbols: {
      class_declaration: 'class', interface_declaration: 'interface', enum_declaration: 'enum', record_declaration: 'class',
      annotation_type_declaration: 'interface', method_declaration: 'method', constructor_declaration: 'method',
      compact_constructor_declaration: 'method',
    },
    imports: { import_declaration: n => n.text.replace(/^import\s+(static\s+)?/, '').replace(/\s*;.*$/s, '') },
  },
  kotlin: {
    into: ['source_file', 'class_body', 'enum_class_body'],
    symbols: {
      class_declaration: n => /^[^{(]*\benum\s+class\b/.test(n.text.replace(/@\w+(\([^)]*\))?/g, '')) ? 'enum' : n.children.some(c => c.type === 'interface') ? 'interface' : 'class',
      object_declaration: 'object', companion_object: 'object', type_alias: 'type',
      function_declaration: (n, member) => member ? 'method' : 'function',
    },
    name: n => child(n, 'type_identifier', 'simple_identifier') || (n.type === 'companion_object' ? 'Companion' : undefined),
    imports: { import_header: n => words(n, 'identifier').text + (n.text.trim().endsWith('.*') ? '.*' : '') },
  },
  rust: {
    into: ['source_file', 'declaration_list', 'foreign_mod_item'],
    symbols: {
      function_item: (n, member) => member ? 'method' : 'function', function_signature_item: (n, member) => member ? 'method' : 'function',
      struct_item: 'struct', union_item: 'struct', enum_item: 'enum', trait_item: 'trait', mod_item: 'module',
      const_item: 'const', static_item: 'var', type_item: 'type', associated_type: 'type', macro_definition: 'macro',
    },
    plain: ['mod_item', 'foreign_mod_item'],
    also: ['impl_item'],
    imports: { use_declaration: n => useTree(n.childForFieldName('argument'), ''), extern_crate_declaration: n => field(n, 'name') },
  },
  csharp: {
    wasm: 'c_sharp',
    into: ['compilation_unit', 'declaration_list', 'file_scoped_namespace_declaration'],
    symbols: {
      class_declaration: 'class', struct_declaration: 'struct', interface_declaration: 'interface', enum_declaration: 'enum',
      record_declaration: 'class', record_struct_declaration: 'class', delegate_declaration: 'type', method_declaration: 'method',
      constructor_declaration: 'method', destructor_declaration: 'method', namespace_declaration: 'module', file_scoped_namespace_declaration: 'module',
    },
    name: n => (n.type === 'destructor_declaration' ? '~' : '') + (field(n, 'name') || ''),
    imports: { using_directive: n => n.text.replace(/^global\s+/, '').replace(/^using\s+(static\s+|unsafe\s+)*/, '').replace(/^[\w]+\s*=\s*/, '').replace(/^global::/, '').replace(/<.*$/s, '').replace(/\s*;.*$/s, '') },
  },
  php: {
    into: ['program', 'declaration_list', 'enum_declaration_list', 'namespace_definition', 'compound_statement', 'if_statement', 'colon_block', 'else_clause', 'else_if_clause', 'try_statement'],
    symbols: {
      class_declaration: 'class', interface_declaration: 'interface', trait_declaration: 'trait', enum_declaration: 'enum',
      function_definition: 'function', method_declaration: 'method', const_element: 'const',
    },
    also: ['const_declaration'],
    name: n => field(n, 'name') || child(n, 'name'),
    imports: { namespace_use_declaration: phpUse },
  },
  swift: {
    into: ['source_file', 'class_body', 'enum_class_body', 'protocol_body'],
    symbols: {
      class_declaration: n => ({ class: 'class', struct: 'struct', enum: 'enum', extension: 'extension', actor: 'class' })[n.childForFieldName('declaration_kind')?.text],
      protocol_declaration: 'interface', typealias_declaration: 'type', function_declaration: (n, member) => member ? 'method' : 'function',
      protocol_function_declaration: 'method', init_declaration: 'method', deinit_declaration: 'method', subscript_declaration: 'method',
    },
    name: n => n.type === 'init_declaration' ? 'init' : n.type === 'deinit_declaration' ? 'deinit' : n.type === 'subscript_declaration' ? 'subscript' : field(n, 'name')?.replace(/<.*$/s, ''),
    imports: { import_declaration: n => words(n, 'identifier').text },
  },
  scala: {
    into: ['compilation_unit', 'template_body', 'enum_body', 'package_clause'],
    symbols: {
      class_definition: 'class', trait_definition: 'trait', object_definition: 'object', enum_definition: 'enum',
      type_definition: 'type', function_definition: (n, member) => member ? 'method' : 'function',
      function_declaration: (n, member) => member ? 'method' : 'function', package_object: 'object',
    },
    imports: {},
  },
  ruby: {
    into: ['program', 'body_statement', 'if', 'unless', 'then', 'else', 'elsif', 'begin', 'singleton_class', 'call', 'do_block', 'block', 'argument_list', 'if_modifier', 'rescue', 'block_body', 'case', 'when', 'method_call', 'assignment', 'ensure'],
    symbols: { class: 'class', module: 'module', method: (n, member) => member ? 'method' : 'function', singleton_method: (n, member) => member ? 'method' : 'function' },
    imports: {
      call: n => {
        const m = field(n, 'method')
        if (!['require', 'require_relative', 'autoload'].includes(m) || field(n, 'receiver')) return
        const a = n.childForFieldName('arguments')?.namedChildren.filter(c => c.type === 'string').pop()
        if (a && a.namedChildren.length === 1 && a.namedChildren[0].type === 'string_content') return a.namedChildren[0].text
      },
    },
  },
  c: {
    into: ['translation_unit', 'preproc_if', 'preproc_ifdef', 'preproc_else', 'preproc_elif', 'linkage_specification', 'declaration_list'],
    symbols: {
      function_definition: 'function', struct_specifier: 'struct', union_specifier: 'struct', enum_specifier: 'enum',
      preproc_def: 'macro', preproc_function_def: 'macro', type_definition: 'type',
    },
    also: ['declaration', 'type_definition', 'function_definition'],
    name: cName,
    imports: { preproc_include: n => n.childForFieldName('path').text.replace(/^[<"]|[>"]$/g, '') },
  },
  cpp: {
    into: ['translation_unit', 'preproc_if', 'preproc_ifdef', 'preproc_else', 'preproc_elif', 'linkage_specification', 'declaration_list', 'template_declaration', 'field_declaration_list'],
    symbols: {
      function_definition: (n, member) => member || qualified(n) ? 'method' : 'function',
      struct_specifier: 'struct', union_specifier: 'struct', enum_specifier: 'enum',
      class_specifier: 'class', namespace_definition: 'module', alias_declaration: 'type', field_declaration: 'method',
      declaration: (n, member) => member ? 'method' : undefined,
      preproc_def: 'macro', preproc_function_def: 'macro', type_definition: 'type',
    },
    also: ['declaration', 'type_definition', 'field_declaration', 'function_definition', 'friend_declaration_'],
    name: cName,
    imports: { preproc_include: n => n.childForFieldName('path').text.replace(/^[<"]|[>"]$/g, '') },
  },
}

// cName returns the name of a declaration of C or C++ that defines something.
function cName(n) {
  switch (n.type) {
    case 'function_definition': return declarator(n)
    case 'field_declaration': case 'declaration': return n.childForFieldName('declarator')?.type.match(/function_declarator|reference_declarator|pointer_declarator/) && declarator(n)
    case 'preproc_def': case 'preproc_function_def': return n.childForFieldName('value') && field(n, 'name')
    case 'type_definition': return
    case 'struct_specifier': case 'union_specifier': case 'enum_specifier': case 'class_specifier':
      return n.childForFieldName('body') ? field(n, 'name')?.replace(/<.*$/s, '') : undefined
  }
  return field(n, 'name')
}

// useTree returns the paths of a use declaration of Rust.
function useTree(n, prefix) {
  const join = s => prefix ? prefix + '::' + s : s
  switch (n.type) {
    case 'scoped_use_list': {
      const p = n.childForFieldName('path')
      return useTree(n.childForFieldName('list'), p ? join(p.text) : prefix)
    }
    case 'use_list': return n.namedChildren.filter(c => !/comment/.test(c.type)).flatMap(c => useTree(c, prefix))
    case 'use_as_clause': return [join(n.childForFieldName('path').text).replace(/::self$/, '')]
    case 'use_wildcard': return [join(n.text).replace(/\s/g, '')]
    case 'self': return [prefix || 'self']
  }
  return [join(n.text).replace(/\s/g, '')]
}

function phpUse(n) {
  const group = words(n, 'namespace_use_group')
  const clean = s => s.replace(/^\\/, '').replace(/\s+as\s+.*$/s, '').replace(/^(function|const)\s+/, '')
  if (group) {
    const prefix = n.namedChildren.find(c => c.type === 'namespace_name').text
    return group.namedChildren.filter(c => /clause/.test(c.type)).map(c => clean(prefix + '\\' + clean(c.text)))
  }
  return n.namedChildren.filter(c => c.type === 'namespace_use_clause').map(c => clean(c.text))
}

async function main() {
  const language = languages[process.argv[2]]
  await Parser.init()
  const wasm = path.join(path.dirname(require.resolve('tree-sitter-wasms/package.json')), 'out',
    `tree-sitter-${language.wasm || process.argv[2]}.wasm`)
  const parser = new Parser()
  parser.setLanguage(await Parser.Language.load(wasm))
  let refused = 0
  for (const file of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    let tree
    try {
      tree = parser.parse(fs.readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
    } catch { continue }
    if (tree.rootNode.hasError()) {
      refused++
      tree.delete()
      continue
    }
    const symbols = []
    const imports = []
    const walk = (n, member) => {
      const kind = language.symbols[n.type]
      let type = member
      if (kind) {
        const name = language.name ? language.name(n) : field(n, 'name')
        const k = typeof kind === 'function' ? kind(n, member) : kind
        if (n.type === 'type_definition') {
          const base = n.childForFieldName('type')
          for (const d of n.namedChildren) {
            if (d.id === base?.id || !/type_identifier|declarator/.test(d.type)) continue
            const t = d.type === 'type_identifier' ? d : d.descendantsOfType('type_identifier').find(x => x.parent.type !== 'parameter_declaration')
            if (t) symbols.push([t.text, 'type', n.startPosition.row + 1])
          }
        } else if (name && k) symbols.push([name.replace(/`/g, ''), k, n.startPosition.row + 1])
        if (['class', 'struct', 'interface', 'trait', 'enum', 'object', 'extension', 'module'].includes(k)) type = k !== 'module' || process.argv[2] === 'ruby'
        else if (!(language.also || []).includes(n.type)) return
      } else if ((language.also || []).includes(n.type) && n.type === 'impl_item') type = true
      if (n.type === 'singleton_class') type = true
      for (const c of n.namedChildren) {
        if (['method', 'function'].includes(language.symbols[c.type]) || language.symbols[c.type] || language.into.includes(c.type) || (language.also || []).includes(c.type)) {
          if (['function_definition', 'field_declaration', 'declaration', 'type_definition'].includes(n.type) && /compound_statement|declarator/.test(c.type)) continue
          walk(c, type)
        }
      }
    }
    walk(tree.rootNode, false)
    for (const [type, get] of Object.entries(language.imports)) {
      for (const n of tree.rootNode.descendantsOfType(type)) {
        for (const p of [get(n)].flat()) if (p) imports.push([p.replace(/`/g, ''), n.startPosition.row + 1])
      }
    }
    console.log(JSON.stringify({ file, symbols, imports }))
    tree.delete()
  }
  if (refused) console.error(`${refused} files that the grammar cannot read are left out`)
}
main()
