import { GraphQLError } from 'graphql'

/** Values of `extensions.code`, for clients to react to. */
export type ErrorCode =
  'BAD_USER_INPUT' | 'NOT_FOUND' | 'BID_TOO_LOW' | 'AUCTION_NOT_OPEN' | 'BUSY' | 'INTERNAL_SERVER_ERROR'

/** An error whose message is sent to the client. The messages of all other errors are masked. */
export class ClientError extends GraphQLError {
  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message, { extensions: { ...details, code } })
  }
}

export function badUserInput(message: string, details?: Record<string, unknown>): ClientError {
  return new ClientError('BAD_USER_INPUT', message, details)
}
