/**
 * `model-cache/arktype`: the ArkTypes of Prisma's `Bytes`, `Decimal` and `Json`, for schemas that you write by hand. It needs the package
 * `arktype`; definitions that are derived from the Prisma schema do not.
 *
 * @module model-cache/arktype
 */
export { bytes, json, type Json } from './codec/row-types.js'
export { decimal } from './source/prisma/prisma-types.js'
