/** To bytes that are ready for a socket. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8')

export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
