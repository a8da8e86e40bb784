import { GraphQLError } from 'graphql'

/** What a client can react to: `extensions.code` of an error. */
export type ErrorCode =
  'BAD_USER_INPUT' | 'NOT_FOUND' | 'BID_TOO_LOW' | 'AUCTION_NOT_OPEN' | 'BUSY' | 'INTERNAL_SERVER_ERROR'

/** An error that is meant for the client: its message is sent as it is, where others are kept back. */
export class ClientError extends GraphQLError {
  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message, { extensions: { ...details, code } })
  }
}

export function badUserInput(message: string, details?: Record<string, unknown>): ClientError {
  return new ClientError('BAD_USER_INPUT', message, details)
}
