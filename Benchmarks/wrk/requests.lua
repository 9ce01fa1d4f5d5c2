-- wrk -s requests.lua URL -- FILE RUN [START THREADS]
-- Sends requests picked at random from FILE, or with START in order from there on, the THREADS of wrk in turns. A line each:
-- method, path, If-None-Match or "Bearer" with a token or nothing, body or nothing, separated by tabs.
-- Every ######## becomes another number of eight hexadecimal digits, never the same twice as long
-- as each RUN has a number of its own. Ends with one line of JSON for the harness.

local threads = 0
function setup(thread)
    thread:set("thread", threads)
    threads = threads + 1
end

local requests, changing = {}, {}
local counter = 0
local position, step

local function fresh()
    counter = counter + 1
    return string.format("%08x", counter)
end

function init(args)
    local run = tonumber(args[2])
    math.randomseed(run * 16 + thread)
    counter = run * 2 ^ 24 + thread * 2 ^ 22
    if args[3] then
        position, step = tonumber(args[3]) + thread, tonumber(args[4])
    end
    for line in io.lines(args[1]) do
        local method, path, tag, body = line:match("^(%S+)\t(%S+)\t([^\t]*)\t(.*)$")
        local headers = {Host = wrk.headers["Host"]}
        if tag:find("Bearer ", 1, true) == 1 then
            headers["Authorization"] = tag
        elseif tag ~= "" then
            headers["If-None-Match"] = tag
        end
        if body ~= "" then
            headers["Content-Type"] = method == "PATCH" and "application/merge-patch+json" or "application/json"
        end
        requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
        changing[#requests] = line:find("########", 1, true) ~= nil
    end
end

function request()
    local index
    if position then
        index = position % #requests + 1
        position = position + step
    else
        index = math.random(#requests)
    end
    if changing[index] then return (requests[index]:gsub("########", fresh)) end
    return requests[index]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '{"requests": %d, "seconds": %.6f, "failures": %d, "p50": %.1f, "p99": %.1f}\n',
        summary.requests, summary.duration / 1e6,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
