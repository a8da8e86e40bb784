import type { Table } from 'model-cache/internal'

/** Returns one id for names that differ in case only: some servers take these for equal, and write either of them to the log. */
export const tableId = ({ name, schema }: Table): string => JSON.stringify([schema, name]).toLowerCase()
