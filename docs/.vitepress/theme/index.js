import theme from 'vitepress/theme-without-fonts'
import './style.css'
import Welcome from './Welcome.vue'

export default {
  extends: theme,
  /** @param {import('vitepress').EnhanceAppContext} context */
  enhanceApp: ({ app }) => app.component('welcome', Welcome),
}
