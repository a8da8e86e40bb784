import { Logger } from '@nestjs/common'
import { GraphQLError } from 'graphql'
import mercurius from 'mercurius'
import type { MercuriusOptions } from 'mercurius'

type ErrorFormatter = NonNullable<MercuriusOptions['errorFormatter']>

const logger = new Logger('GraphQL')

/** Sends what is meant for the client, and keeps everything else for the log: messages of a database tell too much. */
export const formatErrors: ErrorFormatter = (execution, context) => {
  const errors = execution.errors?.map((error) => (isForClient(error) ? error : masked(error))) ?? []
  return mercurius.defaultErrorFormatter({ ...execution, errors }, context)
}

/** Our own errors and those of mercurius carry a code; errors of GraphQL's validation have no original. */
function isForClient({ originalError, extensions }: GraphQLError): boolean {
  if (!originalError || extensions.code) return true
  const { code, statusCode } = originalError as { code?: unknown; statusCode?: number }
  return originalError instanceof GraphQLError || String(code).startsWith('MER_') || (statusCode ?? 500) < 500
}

function masked(error: GraphQLError): GraphQLError {
  logger.error(error.originalError ?? error, `${error.path?.join('.') ?? 'request'} failed`)
  return new GraphQLError('The server failed to answer this; the failure was logged', {
    nodes: error.nodes ?? [],
    ...(error.path && { path: error.path }),
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  })
}
