# Prints the symbols and imports of Ruby files, by Ruby's own parser: a JSON object for each path on stdin.
require "json"

NODE = RubyVM::AbstractSyntaxTree::Node

def name_of(node)
  return node.children[0].to_s if node.type == :COLON3
  return node.children[1].to_s if node.children[0].nil?

  node.type == :COLON2 ? "#{name_of(node.children[0])}::#{node.children[1]}" : node.children[0].to_s
end

# walk adds the definitions below a node that are not inside of methods.
def walk(node, member, inside, symbols, imports)
  return unless node.is_a?(NODE)

  case node.type
  when :CLASS, :MODULE
    symbols << [name_of(node.children[0]), node.type.to_s.downcase, node.first_lineno] unless inside
    member = true
  when :SCLASS
    member = true
  when :DEFN, :DEFS
    name = node.type == :DEFN ? node.children[0] : node.children[1]
    symbols << [name.to_s, member ? "method" : "function", node.first_lineno] unless inside
    inside = true
  when :FCALL
    list = node.children[1]
    args = list.is_a?(NODE) && list.type == :LIST ? list.children.compact : []
    wanted = { require: 1, require_relative: 1, autoload: 2 }[node.children[0]]
    if wanted == args.size && args.last.type == :STR
      imports << [args.last.children[0], node.first_lineno]
    end
  end
  node.children.each { |c| walk(c, member, inside, symbols, imports) }
end

$stdin.read.split("\n").each do |path|
  symbols, imports = [], []
  begin
    walk(RubyVM::AbstractSyntaxTree.parse_file(path), false, false, symbols, imports)
  rescue SyntaxError, ArgumentError, EncodingError
    next
  end
  puts JSON.generate({ file: path, symbols: symbols, imports: imports })
end
