/**
 * `model-cache/codec`: serializes typed rows and reads them back, without Nest, Valkey or Prisma.
 *
 * @module model-cache/codec
 */
export { codecFor, compileCodec, createCodec, type CodecOptions } from './compile-codec.js'
export { undecodable, type Codec, type Undecodable, type WireFormat } from './codec.js'
export { createStringifier, type Stringifier } from './stringifier.js'
export { createReviver, type Reviver } from './reviver.js'
export type { ReviverSchema } from './reviver-schema.js'
export type { DecimalConstructor, WirePlan } from './wire-plan.js'
export { bytes, decimalOf, json, type Json } from './row-types.js'
