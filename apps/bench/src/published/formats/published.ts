export const SOURCE = {
  title: 'Serialization from NodeJS, Adam Faulkner, 2025-06-22',
  url: 'https://adamfaulkner.github.io/serialization_from_nodejs.html',
}

/** Milliseconds to serialize 100,000 trips of New York's Citi Bike: untuned, tuned, and by a service in Rust for the same format. */
const MS = {
  json: [1415.33, 1440.67, 458],
  msgpack: [910.67, 713, 287],
  cbor: [1335.67, 716.65, 331],
  'protobuf.js': [5582.33, 5532.67, 281],
  avro: [5443.33, 586.67, 321],
  bebop: [12351, 2700.67, 190],
  flatbuffers: [3674, 3723, null],
  pbf: [null, 563.33, 281],
} as const

/** Where the name here is another one; undefined for what this suite leaves out. */
const OURS = { json: 'JSON', msgpack: 'msgpackr', cbor: 'cbor-x', avro: 'avsc', flatbuffers: undefined }

const STRUCTURES =
  'There a reused buffer. Here shared structures as well, so that keys are written only untuned.'
const DIFFERENCES: Readonly<Record<keyof typeof MS, string>> = {
  json: 'There nothing was tuned. Here Dates are mapped to strings when tuned; and text becomes bytes.',
  msgpack: STRUCTURES,
  cbor: STRUCTURES,
  'protobuf.js':
    'There no tuning was found: it reads no getters and takes no buffer. Here one object is refilled for each trip, and no list of messages is made.',
  avro: 'There an object with getters per trip. Here unmapped rows and a logical type for dates; both write into one large buffer.',
  bebop:
    'There no buffer. Here it writes into one that it was given to read, by hand-written code without the generated classes, also untuned.',
  flatbuffers: 'Left out here: there it was no faster than JSON, and it needs a compiler of its own.',
  pbf: 'No untuned figure there. Here one view over each trip in turn, there an object with getters per trip.',
}

export const published = (Object.keys(MS) as (keyof typeof MS)[]).map((name) => {
  const [untuned, tuned, rust] = MS[name]
  const ours = name in OURS ? OURS[name as keyof typeof OURS] : name
  return { name, ours, untuned, tuned, rust, difference: DIFFERENCES[name] }
})
