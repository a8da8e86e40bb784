import type { Format } from './format.ts'
import { bebopFormat } from './libraries/bebop.ts'
import { fastJsonStringifyFormat, jsonFormat, modelCacheFormat } from './libraries/json.ts'
import { avroFormat, cborFormat, msgpackrFormat } from './libraries/packers.ts'
import { pbfFormat, protobufJsFormat } from './libraries/protobuf.ts'

export const allFormats: readonly Format[] = [
  jsonFormat,
  fastJsonStringifyFormat,
  modelCacheFormat('json'),
  modelCacheFormat('record'),
  avroFormat,
  protobufJsFormat,
  pbfFormat,
  msgpackrFormat,
  bebopFormat,
  cborFormat,
]
