import { migratedId, postgresId } from './database.js'

describe('the id of a database', () => {
  it.each([
    ['', 'postgresql/730/shop'],
    ['main', 'postgresql/730/main/shop'],
  ])('names the system, the branch %j and the database', (branch, id) => {
    expect(postgresId({ system: '730', branch, name: 'shop' })).toBe(id)
  })

  it.each([
    ['', 'migrated/3f1'],
    ['shop', 'migrated/3f1/shop'],
  ])('names the first migration and the database %j', (name, id) => {
    expect(migratedId({ id: '3f1', name })).toBe(id)
  })
})
