# ruby receiver.rb — Ruby 2.7 or later. Ruby 3.0 or later also needs: gem install webrick
require "json"
require "openssl"
require "time"
require "webrick"

SECRET = ENV["SVC_WEBHOOK_SECRET"].to_s
abort "Set SVC_WEBHOOK_SECRET." if SECRET.empty?
TOLERANCE = 5 * 60
SEEN = {} # In production: a durable store, written in one transaction with the job.
SEEN_LOCK = Mutex.new
JOBS = Queue.new

def authentic?(body, timestamp, signatures)
  return false if (Time.now - Time.iso8601(timestamp)).abs > TOLERANCE

  expected = "v1=" + OpenSSL::HMAC.hexdigest("SHA256", SECRET, "#{timestamp}.#{body}")
  # Several signatures during a secret rotation.
  signatures.split(",").any? { |text| OpenSSL.secure_compare(text.strip, expected) }
rescue ArgumentError # The timestamp is not a time.
  false
end

def new?(event)
  SEEN_LOCK.synchronize { SEEN.key?(event["id"]) ? false : SEEN[event["id"]] = true }
end

$stdout.sync = true
server = WEBrick::HTTPServer.new(
  BindAddress: "127.0.0.1", Port: Integer(ENV.fetch("PORT", "4242")),
  AccessLog: [], Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN)
)
server.mount_proc("/") do |request, response|
  body = request.body.to_s # The raw bytes, verified before they are parsed.
  if authentic?(body, request["Service-Timestamp"].to_s, request["Service-Signature"].to_s)
    event = JSON.parse(body)["data"]
    JOBS << event if new?(event) # Delivery is at least once.
    response.status = 204 # Accepted. The work continues after the response.
  else
    response.status = 400
  end
end
Thread.new { loop { JOBS.pop.then { |event| puts "processed #{event["type"]} #{event["id"]}" } } }
puts "listening on #{server.listeners.first.addr[1]}"
server.start
