import type { Format } from './format.ts'
import { avroFormat } from './libraries/avro.ts'
import { bebopFormat } from './libraries/bebop.ts'
import { fastJsonStringifyFormat, jsonFormat } from './libraries/json.ts'
import { modelCacheJson, modelCacheRecord } from './libraries/model-cache.ts'
import { cborFormat, msgpackrFormat } from './libraries/packers.ts'
import { pbfFormat } from './libraries/pbf.ts'
import { protobufJsFormat } from './libraries/protobuf-js.ts'

export const allFormats: readonly Format[] = [
  jsonFormat,
  fastJsonStringifyFormat,
  modelCacheJson,
  modelCacheRecord,
  avroFormat,
  protobufJsFormat,
  pbfFormat,
  msgpackrFormat,
  bebopFormat,
  cborFormat,
]
