import type { Table } from '../../source/schema-facts.js'

/** The same for names that differ in case: some servers take these for equal, and write either of them to the log. */
export const tableId = ({ name, schema }: Table): string => JSON.stringify([schema, name]).toLowerCase()
