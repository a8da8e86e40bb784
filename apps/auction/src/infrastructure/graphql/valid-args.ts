import { StandardSchemaValidationPipe } from '@nestjs/common'
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common'
import { Args, ID } from '@nestjs/graphql'
import type { ArgsOptions } from '@nestjs/graphql'
import { type } from 'arktype'
import { badUserInput } from './errors.js'

type Schema = NonNullable<ArgumentMetadata['schema']>

/**
 * A GraphQL argument that is validated with a Standard Schema. Invalid values are rejected with BAD_USER_INPUT.
 *
 * `@Args` of @nestjs/graphql 14 has no `schema` option, unlike `@Body({ schema })`, so the pipe gets the schema here.
 */
export function ValidArgs(name: string, schema: Schema, options: ArgsOptions = {}): ParameterDecorator {
  const pipe = new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => {
      // ArkType's messages begin with the path, which is empty for the argument itself.
      const problems = issues.map(({ path, message }) => (path?.length ? message : `${name} ${message}`))
      return badUserInput(problems.join('; '), { problems })
    },
  })
  const withSchema: PipeTransform = {
    transform: (value, metadata) => pipe.transform(value, { ...metadata, schema }),
  }
  return Args(name, options, withSchema)
}

export function IdArg(name = 'id'): ParameterDecorator {
  return ValidArgs(name, type('string.uuid'), { type: () => ID })
}
