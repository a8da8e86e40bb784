/** pbf's own compiler has no types. */
declare module 'pbf/compile' {
  import type { PbfReader, PbfWriter } from 'pbf'

  export interface PbfField {
    readonly name: string
    readonly type: string
    readonly tag: number
    readonly repeated: boolean
    readonly oneof: string | null
    readonly options: Readonly<Record<string, string>>
  }

  export interface PbfSchema {
    readonly syntax: number
    readonly messages: readonly { readonly name: string; readonly fields: readonly PbfField[] }[]
  }

  export function compile(schema: PbfSchema): {
    readonly readTrip: (reader: PbfReader, end?: number) => Record<string, unknown>
    readonly writeTrip: (trip: object, writer: PbfWriter) => void
    readonly readTrips: (reader: PbfReader, end?: number) => { trips: Record<string, unknown>[] }
    readonly writeTrips: (list: { trips: readonly object[] }, writer: PbfWriter) => void
  }
}
