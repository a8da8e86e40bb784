/** Adam Faulkner, "Serialization from NodeJS", 2025-06-22. */
export const PUBLISHED_URL = 'https://adamfaulkner.github.io/serialization_from_nodejs.html'

/** Milliseconds to serialize 100,000 trips of New York's Citi Bike, and where and why ours differ. */
export interface Published {
  /** As it is called there. */
  readonly name: string
  /** As it is called here; undefined for what this suite leaves out. */
  readonly ours?: string
  readonly untuned: number | null
  readonly tuned: number
  /** By a service written in Rust, for its format. */
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
      'There nothing was tuned. Here times are Dates, which write themselves untuned and are mapped to strings tuned; and the text is made bytes.',
  },
  {
    name: 'msgpack',
    ours: 'msgpackr',
    untuned: 910.67,
    tuned: 713,
    rust: 287,
    difference:
      'There tuning was a buffer that is used again. Here structures are shared as well, so that no keys are written, as untuned they are.',
  },
  {
    name: 'cbor',
    ours: 'cbor-x',
    untuned: 1335.67,
    tuned: 716.65,
    rust: 331,
    difference:
      'There tuning was a buffer that is used again. Here structures are shared as well, so that no keys are written, as untuned they are.',
  },
  {
    name: 'protobuf.js',
    ours: 'protobuf.js',
    untuned: 5582.33,
    tuned: 5532.67,
    rust: 281,
    difference:
      'There no tuning was found, as it reads no getters and takes no buffer. Here one object is filled with one trip after the other, and no list of messages is made.',
  },
  {
    name: 'avro',
    ours: 'avsc',
    untuned: 5443.33,
    tuned: 586.67,
    rust: 321,
    difference:
      'There each trip is wrapped in an object with getters, tuned. Here rows go in as they are, and a logical type knows dates; both write into one large buffer.',
  },
  {
    name: 'bebop',
    ours: 'bebop',
    untuned: 12351,
    tuned: 2700.67,
    rust: 190,
    difference:
      'There no way to give it a buffer was found. Here it writes into one that it was given to read; and its code is written by hand, without the classes that its compiler generates, so that untuned is less untuned.',
  },
  {
    name: 'flatbuffers',
    untuned: 3674,
    tuned: 3723,
    rust: null,
    difference:
      'Left out here: it was no faster than JSON there, tuned or not, and needs a compiler of its own.',
  },
  {
    name: 'pbf',
    ours: 'pbf',
    untuned: null,
    tuned: 563.33,
    rust: 281,
    difference:
      'There is no untuned figure. Here one view is laid over one trip after the other; there each had an object with getters.',
  },
]
