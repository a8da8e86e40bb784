import type { Verified } from '../codec/verified-candidate.ts'

export const OPERATIONS = ['serialize', 'deserialize', 'round trip'] as const
export type OperationName = (typeof OPERATIONS)[number]

export interface Operation {
  readonly inputs: readonly unknown[]
  run(input: never): unknown
}

/** To bytes for the socket, from the text that a client hands over, and both with the text made of the bytes between them. */
export function operationOf(name: OperationName, { tasks, arrival }: Verified): Operation {
  const { decode, encode } = tasks
  switch (name) {
    case 'serialize':
      return encode
    case 'deserialize':
      return decode
    case 'round trip':
      return {
        inputs: encode.inputs,
        run: (row) => decode.run(arrival.run(encode.run(row) as never) as never),
      }
  }
}

/** Does nothing: what those who ask cost themselves. */
export const idle: Operation = { inputs: [undefined], run: () => undefined }
