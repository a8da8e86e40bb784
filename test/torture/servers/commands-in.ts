/** Returns the complete Valkey commands at the start of sent bytes. */
export function commandsIn(bytes: Buffer): { readonly bytes: Buffer; readonly words: readonly string[] }[] {
  const commands: { bytes: Buffer; words: string[] }[] = []
  for (let start = 0; bytes[start] === star;) {
    let at = start
    const line = (): number => {
      const end = bytes.indexOf('\r\n', at)
      if (end < 0) return NaN
      const number = Number(bytes.toString('latin1', at + 1, end))
      at = end + 2
      return number
    }
    const count = line()
    const words: string[] = []
    for (let i = 0; i < count; i++) {
      const length = line()
      words.push(bytes.toString('utf8', at, at + length))
      at += length + 2
    }
    // A missing number is NaN, and fails both comparisons.
    if (!(words.length === count && at <= bytes.length)) break
    commands.push({ bytes: bytes.subarray(start, at), words })
    start = at
  }
  return commands
}

const star = 0x2a
