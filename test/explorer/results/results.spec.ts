import { describeExplorer } from '../describe-explorer.ts'
import { explorer, report } from './explorer.ts'

describeExplorer('the explorer of results', explorer, report)
