export const SOURCE = {
  title: 'Serialization from NodeJS, Adam Faulkner, 2025-06-22',
  url: 'https://adamfaulkner.github.io/serialization_from_nodejs.html',
}

/** Milliseconds to serialize 100,000 trips of New York's Citi Bike, and why ours differ. */
export interface Published {
  readonly name: string
  /** Its name here; undefined for what this suite leaves out. */
  readonly ours?: string
  readonly untuned: number | null
  readonly tuned: number
  /** By a service in Rust, for the same format. */
  readonly rust: number | null
  readonly difference: string
}

export const published: readonly Published[] = [
  {
    name: 'json',
    ours: 'JSON',
    untuned: 1415.33,
    tuned: 1440.67,
    rust: 458,
    difference:
      'There nothing was tuned. Here Dates are mapped to strings when tuned; and text becomes bytes.',
  },
  {
    name: 'msgpack',
    ours: 'msgpackr',
    untuned: 910.67,
    tuned: 713,
    rust: 287,
    difference:
      'There a reused buffer. Here shared structures as well, so that keys are written only untuned.',
  },
  {
    name: 'cbor',
    ours: 'cbor-x',
    untuned: 1335.67,
    tuned: 716.65,
    rust: 331,
    difference:
      'There a reused buffer. Here shared structures as well, so that keys are written only untuned.',
  },
  {
    name: 'protobuf.js',
    ours: 'protobuf.js',
    untuned: 5582.33,
    tuned: 5532.67,
    rust: 281,
    difference:
      'There no tuning was found: it reads no getters and takes no buffer. Here one object is refilled for each trip, and no list of messages is made.',
  },
  {
    name: 'avro',
    ours: 'avsc',
    untuned: 5443.33,
    tuned: 586.67,
    rust: 321,
    difference:
      'There an object with getters per trip. Here unmapped rows and a logical type for dates; both write into one large buffer.',
  },
  {
    name: 'bebop',
    ours: 'bebop',
    untuned: 12351,
    tuned: 2700.67,
    rust: 190,
    difference:
      'There no buffer. Here it writes into one that it was given to read, by hand-written code without the generated classes, also untuned.',
  },
  {
    name: 'flatbuffers',
    untuned: 3674,
    tuned: 3723,
    rust: null,
    difference: 'Left out here: there it was no faster than JSON, and it needs a compiler of its own.',
  },
  {
    name: 'pbf',
    ours: 'pbf',
    untuned: null,
    tuned: 563.33,
    rust: 281,
    difference:
      'No untuned figure there. Here one view over each trip in turn, there an object with getters per trip.',
  },
]
