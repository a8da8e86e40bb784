import { missingTag, nullTag } from './digits.js'

/**
 * The first digit of each value in a `Json` field. Values below `longText` are the length of a short string. The tag is
 * followed by:
 *
 * | tag             | in the head                                        | in the body   |
 * | --------------- | -------------------------------------------------- | ------------- |
 * | short string    |                                                    | the string    |
 * | `longText`      | its length, three digits                           | the string    |
 * | `openObject`    | the number of entries, three digits; key and value | their strings |
 * | `newShape`      | the length of its key list, two digits; the values | keys; strings |
 * | `shapedObject`  | which key list, two digits; the values             | their strings |
 * | `array`         | the number of elements, three digits; these        | their strings |
 * | `numberText`    | its length, one digit                              | the number    |
 * | `integer`       | from `-integerOffset`, five digits                 |               |
 * | `smallInteger`  | from 0, two digits                                 |               |
 * | false to null   |                                                    |               |
 */
export const jsonTags = {
  longText: 51,
  openObject: 52,
  newShape: 53,
  shapedObject: 54,
  array: 55,
  numberText: 56,
  integer: 57,
  smallInteger: 58,
  false: 60,
  true: 61,
  null: nullTag,
  missing: missingTag,
} as const

/** Integers from 0 to below this take two digits. */
export const smallIntegers = 64 * 64

/** Objects with more or longer keys are open: their keys are data, not a shape that other objects share. */
export const maxShapeKeys = 32
export const maxShapeKeyLength = 64

/** Separates the keys of a list; objects with a key that contains it are open. */
export const keySeparator = '\n'

/** Maximum number of shapes in a record, which two digits can encode. */
export const maxShapes = 64 * 64
