require "json"
require "openssl"
require "sinatra"
require "time"

set :bind, "127.0.0.1"
set :port, Integer(ENV.fetch("PORT"))
set :server, "webrick"
set :quiet, true
disable :logging

def verify(body, env)
  timestamp = env["HTTP_SERVICE_TIMESTAMP"]
  signatures = env["HTTP_SERVICE_SIGNATURE"]
  return "Missing signature" unless signatures
  expected = "v1=" + OpenSSL::HMAC.hexdigest("SHA256", ENV["SVC_WEBHOOK_SECRET"], "#{timestamp}.#{body}")
  return "Invalid signature" unless signatures.split(",").any? { |text| Rack::Utils.secure_compare(text.strip, expected) }
  return "Timestamp too old" if (Time.now - Time.iso8601(timestamp)).abs > 300
  nil
rescue ArgumentError
  "Invalid timestamp"
end

def process(event)
  event["data"]["id"]
end

post "/webhooks" do
  body = request.body.read
  problem = verify(body, request.env)
  halt 401, problem if problem
  process(JSON.parse(body, max_nesting: false))
  status 204
end
