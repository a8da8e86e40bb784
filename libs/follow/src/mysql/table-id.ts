import type { Table } from 'model-cache/internal'

/** The same for names that differ in case: some servers take these for equal, and write either of them to the log. */
export const tableId = ({ name, schema }: Table): string => JSON.stringify([schema, name]).toLowerCase()
