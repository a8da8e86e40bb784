import { missingTag, nullTag } from './digits.js'

/**
 * The digit that each value of a `Json` field begins with. Those below `longText` are texts of as many characters. What
 * follows it:
 *
 * | tag             | in the head                                        | in the body   |
 * | --------------- | -------------------------------------------------- | ------------- |
 * | text            |                                                    | the text      |
 * | `longText`      | its length, three digits                           | the text      |
 * | `openObject`    | the number of entries, three digits; key and value | texts of both |
 * | `newShape`      | the length of its key list, two digits; the values | keys; texts   |
 * | `shapedObject`  | which key list, two digits; the values             | their texts   |
 * | `array`         | the number of elements, three digits; these        | their texts   |
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

/** Below this, an integer takes two digits. */
export const smallIntegers = 64 * 64

/** Objects with more keys, or longer ones, are open: their keys are data, not a shape that others share. */
export const maxShapeKeys = 32
export const maxShapeKeyLength = 64

/** Stands between the keys of a list; objects of which a key has it are open. */
export const keySeparator = '\n'

/** As many shapes as two digits can count. */
export const maxShapes = 64 * 64
