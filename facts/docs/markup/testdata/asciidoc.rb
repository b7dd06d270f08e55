# Writes the section titles that Asciidoctor finds in asciidoc/*.adoc to asciidoc/*.headings: line, level and text.
# Made with asciidoctor 2.0.18 (Debian's asciidoctor): ruby asciidoc.rb
require "asciidoctor"
require "cgi"

Asciidoctor::LoggerManager.logger.level = 5
Dir["asciidoc/*.adoc"].sort.each do |name|
  document = Asciidoctor.load(File.read(name, encoding: "UTF-8"), sourcemap: true, safe: :secure)
  found = document.find_by(context: :section).select(&:lineno).map { |s| [s.lineno, s.level + 1, s.title] }
  found.unshift([document.header.lineno, 1, document.header.title]) if document.header
  File.open(name.sub(".adoc", ".headings"), "w") do |out|
    found.uniq.each { |line, level, text| out.puts "#{line} #{level} #{CGI.unescapeHTML(text.gsub(/<[^>]+>/, ""))}" }
  end
end
