import { damagedTexts } from './damaged-text.ts'
import { fieldOrders } from './field-order.ts'
import { namesAndVersions } from './names.ts'
import type { CodecProperty } from './property.ts'
import { refusals } from './refusals.ts'
import { roundTrips } from './round-trip.ts'

/** Every property of the codec, grouped by what it promises. */
export const allProperties: Readonly<Record<string, readonly CodecProperty[]>> = {
  'what was stored comes back': roundTrips,
  'the order of fields is only that of keys': fieldOrders,
  'what was not stored is not taken for a row': damagedTexts,
  'what the schema does not allow is refused': refusals,
  'names and versions are only data': namesAndVersions,
}
