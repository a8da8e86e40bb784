import theme from 'vitepress/theme-without-fonts'
import './style.css'
import Figures from './Figures.vue'
import Welcome from './Welcome.vue'

export default {
  extends: theme,
  /** @param {import('vitepress').EnhanceAppContext} context */
  enhanceApp({ app }) {
    app.component('welcome', Welcome)
    app.component('Figures', Figures)
  },
}
