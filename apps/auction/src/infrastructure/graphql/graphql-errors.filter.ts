import { Catch } from '@nestjs/common'
import type { ArgumentsHost } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import type { GqlContextType } from '@nestjs/graphql'

/**
 * Leaves errors of resolvers to formatErrors, which logs internal errors only. Nest's own filter would log every
 * ClientError as unhandled.
 */
@Catch()
export class GraphqlErrorsFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType<GqlContextType>() === 'graphql') return error
    // oxlint-disable-next-line promise/valid-params -- an exception filter, not a promise
    return super.catch(error, host)
  }
}
