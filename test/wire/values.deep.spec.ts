import { describeValues } from './describe-values.js'

describeValues(2_000_000)
