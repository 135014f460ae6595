"""What Redis does at once. Each script is one round trip."""

_CHANGE = """
local function put(key, layer, n)
  layer.n = nil
  local known = string.sub(cjson.encode(layer), 1, -2)
  redis.call('HSET', key, layer.id, known .. ',"n":' .. string.format('%.0f', n) .. '}')
end
for _, op in ipairs(cjson.decode(ARGV[7])) do
  if op[1] == 'HADD' then
    if redis.call('HEXISTS', op[2], op[3]) == 1 or redis.call('HLEN', op[2]) < op[5] then
      redis.call('HSET', op[2], op[3], op[4])
    end
  elseif op[1] == 'HCHANGE' then
    local known = redis.call('HGET', op[2], op[3])
    if known then
      local layer = cjson.decode(known)
      layer[op[4]] = op[5]
      put(op[2], layer, layer.n)
    end
  elseif op[1] == 'HMOVE' and redis.call('HEXISTS', op[2], op[3]) == 1 then
    local layers, moved = {}, nil
    for _, known in ipairs(redis.call('HVALS', op[2])) do
      local layer = cjson.decode(known)
      if layer.id == op[3] then moved = layer else table.insert(layers, layer) end
    end
    table.sort(layers, function(a, b) return a.n < b.n end)
    table.insert(layers, math.min(op[4], #layers) + 1, moved)
    for n, layer in ipairs(layers) do put(op[2], layer, n) end
  elseif op[1] ~= 'HMOVE' then
    redis.call(unpack(op))
  end
end
"""
"""What the session learns: the operations in ARGV[7].

HADD is a capped HSET; HCHANGE and HMOVE change one of the layers in a hash, and the place of one among them.
"""

SAVE = (
    """
local version = redis.call('HGET', KEYS[1], 'version')
if not version and redis.call('EXISTS', KEYS[2]) == 1 then return -1 end
local ahead = tonumber(version or '0') - tonumber(ARGV[1])
if ahead > 0 then return 0 end
if ahead < 0 and ARGV[2] == 'new' then return -2 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'state', ARGV[3], 'view', ARGV[4])
redis.call('HDEL', KEYS[1], 'arrival', 'session')
redis.call('EXPIRE', KEYS[1], ARGV[5])
if not version then redis.call('SET', KEYS[2], '', 'EX', ARGV[6]) end
if ARGV[2] == 'all' then redis.call('DEL', KEYS[3]) end
for n = 8, #ARGV do redis.call('RPUSH', KEYS[3], ARGV[n]) end
redis.call('EXPIRE', KEYS[3], ARGV[5])
"""
    + _CHANGE
    + "return 1"
)
"""Saves a turn of the expected version, appends to its journal, and changes the session.

A lower version than the expected one is there when Redis has lost its last writes in a crash; the caller has
them, and says all of the journal. A turn that was begun and is not there was deleted.
"""

_PARTS = """
local function parts()
  return {redis.call('HMGET', KEYS[1], 'version', 'state', 'view', 'arrival', 'session'),
    redis.call('LRANGE', KEYS[2], 0, -1)}
end
"""

LOAD = _PARTS + "return parts()"
"""A turn and its journal, of the same moment."""

BEGIN = (
    _PARTS
    + """
if redis.call('EXISTS', KEYS[1]) == 1 then return parts() end
if redis.call('EXISTS', KEYS[3]) == 1 then return -1 end
local function list(values) return '[' .. table.concat(values, ',') .. ']' end
local session = '{"history":' .. list(redis.call('LRANGE', KEYS[4], 0, -1))
  .. ',"selections":' .. list(redis.call('HVALS', KEYS[5]))
  .. ',"layers":' .. list(redis.call('HVALS', KEYS[6]))
  .. ',"choices":' .. list(redis.call('LRANGE', KEYS[7], 0, -1))
  .. ',"results":' .. list(redis.call('LRANGE', KEYS[8], 0, -1)) .. '}'
redis.call('HSET', KEYS[1], 'version', 1, 'arrival', ARGV[1], 'view', ARGV[2], 'session', session)
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[3], '', 'EX', ARGV[4])
"""
    + _CHANGE.replace("ARGV[7]", "ARGV[5]")
    + "return session"
)
"""Begins a turn: of what has arrived, and what the session knows at this moment, its first state can be made
again whenever somebody needs it. Of a turn that exists its parts are returned.
"""

FORBID = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('SET', KEYS[2], '', 'EX', ARGV[1])
redis.call('DEL', KEYS[3])
return 1
"""
"""To a turn that was begun and is not there nothing happens any more."""
