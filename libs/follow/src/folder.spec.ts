import { runFolder } from '../../../test/support/folder-suite.ts'

await runFolder(import.meta.url)
