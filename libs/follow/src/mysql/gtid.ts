import type { ByteReader } from './byte-reader.js'

/** What the first event of a transaction of MySQL says. */
export interface GtidEvent {
  /** The GTID as in `gtid_executed`: `uuid:number`, or `uuid:tag:number`. */
  readonly gtid: string
  /** When it was committed, in milliseconds: readers see it a moment later. */
  readonly atMs: number
}

/** Source: https://dev.mysql.com/doc/dev/mysql-server/latest/classmysql_1_1binlog_1_1event_1_1Gtid__event.html */
export function readGtid(reader: ByteReader): GtidEvent {
  reader.skip(1)
  const uuid = uuidOf(reader.bytes(16))
  const gtid = `${uuid}:${reader.uint64()}`
  // Behind numbers of commits that run at once; its highest bit says that another time follows.
  reader.skip(17)
  const [low, high] = [reader.uint(4), reader.uint(3) & 0x7f_ffff]
  return { gtid, atMs: (high * 2 ** 32 + low) / 1_000 }
}

/** Reads the event of a transaction whose GTID has a tag: numbered fields, in this order. */
export function readTaggedGtid(reader: ByteReader): GtidEvent {
  // The format, its length, which fields must be known, and flags.
  for (let i = 0; i < 5; i++) varint(reader)
  varint(reader)
  const uuid = uuidOf(Uint8Array.from({ length: 16 }, () => Number(varint(reader))))
  varint(reader)
  // The lowest bit is the sign.
  const gno = varint(reader) >> 1n
  varint(reader)
  const tag = reader.text(Number(varint(reader)))
  // Numbers of commits that run at once.
  for (let i = 0; i < 5; i++) varint(reader)
  return { gtid: `${uuid}:${tag}:${gno}`, atMs: Number(varint(reader)) / 1_000 }
}

/** A number whose first byte begins, at its lowest bits, with as many ones as it has further bytes. */
function varint(reader: ByteReader): bigint {
  const first = reader.uint(1)
  let [more, value] = [0, BigInt(first)]
  for (; more < 8 && (first >> more) & 1; more++) value |= BigInt(reader.uint(1)) << BigInt(8 * (more + 1))
  return value >> BigInt(Math.min(more + 1, 8))
}

function uuidOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns whether a state as `gtid_binlog_state` of MariaDB has it contains a transaction: it names the last one of each domain and server. */
export function gtidStateOf(text: string): (gtid: string) => boolean {
  const last = new Map(text.split(',').map(sourceAndNumber))
  return (gtid) => {
    const [source, number] = sourceAndNumber(gtid)
    return (last.get(source) ?? 0n) >= number
  }
}

function sourceAndNumber(gtid: string): readonly [source: string, number: bigint] {
  const end = gtid.lastIndexOf('-')
  return [gtid.slice(0, Math.max(0, end)), BigInt(gtid.slice(end + 1))]
}

/** Returns whether a set as `gtid_executed` has it contains a transaction. */
export function gtidSetOf(text: string): (gtid: string) => boolean {
  const ranges = new Map<string, (readonly [first: bigint, last: bigint])[]>()
  for (const source of text.replaceAll(/\s/g, '').toLowerCase().split(',')) {
    const [uuid, ...parts] = source.split(':')
    let name = `${uuid}`
    for (const part of parts) {
      // A tag begins with a letter or an underscore, and is that of the numbers behind it.
      if (!/^\d/.test(part)) name = `${uuid}:${part}`
      else {
        const [first, last = first] = part.split('-')
        ranges.set(name, [...(ranges.get(name) ?? []), [BigInt(first!), BigInt(last!)]])
      }
    }
  }
  return (gtid) => {
    const end = gtid.lastIndexOf(':')
    const number = BigInt(gtid.slice(end + 1))
    return ranges.get(gtid.slice(0, end))?.some(([first, last]) => first <= number && number <= last) ?? false
  }
}
