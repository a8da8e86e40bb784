/**
 * `prisma-extension-soft-delete` 2.0.1 reads which fields are ids and unique from `Prisma.dmmf`, which has no longer had them since
 * Prisma 7: it does not even load. This completes it, as people who go on using the package do.
 */
import { Prisma } from '@prisma/client'

interface DmmfModel {
  readonly name: string
  readonly fields: {
    name: string
    kind: string
    type: string
    isId?: boolean
    isUnique?: boolean
    isList?: boolean
  }[]
  uniqueFields?: readonly (readonly string[])[]
}

const { models } = (Prisma as unknown as { dmmf: { datamodel: { models: DmmfModel[] } } }).dmmf.datamodel
for (const model of models) {
  model.uniqueFields ??= []
  for (const field of model.fields) {
    field.isId = field.name === 'id'
    field.isUnique = field.name === 'email'
    field.isList = field.kind === 'object' && field.name.endsWith('s')
  }
}

const { createSoftDeleteExtension } = await import('prisma-extension-soft-delete')

/** Deletes players and teams softly. */
export const softDelete = createSoftDeleteExtension({ models: { Player: true, Team: true } as never })
