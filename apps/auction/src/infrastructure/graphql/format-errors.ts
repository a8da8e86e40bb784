import { Logger } from '@nestjs/common'
import { GraphQLError } from 'graphql'
import mercurius from 'mercurius'
import type { MercuriusOptions } from 'mercurius'

type ErrorFormatter = NonNullable<MercuriusOptions['errorFormatter']>

const logger = new Logger('GraphQL')

/** Masks and logs internal errors: their messages, for example of the database, must not reach clients. */
export const formatErrors: ErrorFormatter = (execution, context) => {
  const errors = execution.errors?.map((error) => (isForClient(error) ? error : masked(error))) ?? []
  return mercurius.defaultErrorFormatter({ ...execution, errors }, context)
}

/** ClientErrors and errors of mercurius have a code. GraphQL validation errors have no `originalError`. */
function isForClient({ originalError, extensions }: GraphQLError): boolean {
  if (!originalError || extensions.code) return true
  const { code, statusCode } = originalError as { code?: unknown; statusCode?: number }
  return originalError instanceof GraphQLError || String(code).startsWith('MER_') || (statusCode ?? 500) < 500
}

function masked(error: GraphQLError): GraphQLError {
  logger.error(error.originalError ?? error, `${error.path?.join('.') ?? 'request'} failed`)
  return new GraphQLError('Internal server error. The details are in the server log', {
    nodes: error.nodes ?? [],
    ...(error.path && { path: error.path }),
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  })
}
