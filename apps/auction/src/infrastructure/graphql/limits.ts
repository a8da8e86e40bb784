import type { preHandlerAsyncHookHandler } from 'fastify'
import mercurius from 'mercurius'

// Limits of one request: ample for the pages of this application, but too low to block the event loop.

/** Bytes of a request body. */
export const BODY_LIMIT = 100 * 1024

/** Operations per batched request. */
export const MAX_BATCH = 10

/** Levels of nested fields. An auction page has five; GraphiQL's introspection, in development, needs more than eight. */
export const MAX_DEPTH = { production: 8, development: 16 }

/** Tokens per document. Limits sibling fields and aliases, which the depth does not. */
export const MAX_TOKENS = 2000

/** Rejects batches above MAX_BATCH. Mercurius itself has no limit. */
export const limitBatch: preHandlerAsyncHookHandler = async (request) => {
  if (Array.isArray(request.body) && request.body.length > MAX_BATCH) {
    throw new mercurius.ErrorWithProps(
      `A batch may have at most ${MAX_BATCH} operations. This one has ${request.body.length}`,
      { code: 'BATCH_TOO_LARGE' },
      400,
    )
  }
}
