# Writes what each way to serialize makes of each JSON text on standard input; nil for an error.
require 'json'
require 'active_support'
require 'active_support/json'

payloads = JSON.parse($stdin.read)
ways = {
  'JSON.generate of Ruby' => ->(value) { JSON.generate(value) },
  'JSON.generate of Ruby with pretty_generate of Ruby 3.3 and earlier' => ->(value) { JSON.pretty_generate(value) },
  'JSON.generate of Ruby with ActiveSupport' => ->(value) { ActiveSupport::JSON.encode(value) }
}
results = ways.transform_values do |serialize|
  payloads.map do |text|
    written = serialize.call(JSON.parse(text))
    written.valid_encoding? ? written : nil
  rescue StandardError
    nil
  end
end
puts JSON.generate({ 'version' => RUBY_VERSION, 'ways' => results })
