import { runFolder } from './folder-suite.ts'

await runFolder(import.meta.url)
