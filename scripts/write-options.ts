/** `npm run docs:options`: writes docs/options.md from the doc comments of the options. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { OPTIONS_PAGE, optionsPage } from './options-page.ts'

const page = await optionsPage()
if (!process.argv.includes('--check')) {
  writeFileSync(OPTIONS_PAGE, page)
} else if (readFileSync(OPTIONS_PAGE, 'utf8') === page) {
  console.log('docs/options.md: up to date')
} else {
  console.log('docs/options.md: out of date; run `npm run docs:options`')
}
