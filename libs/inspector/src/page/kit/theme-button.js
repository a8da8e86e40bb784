const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : systemIsDark.matches
}

/** Shows the theme that a click selects. Calls `onChange` when the theme changes, and once at the start. */
export function connectThemeButton(button, onChange) {
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark'
    button.setAttribute('aria-label', `Change to ${isDark() ? 'light' : 'dark'} colours`)
    onChange()
  }
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    document.documentElement.dataset.theme = theme
    localStorage.setItem('model-cache-theme', theme)
    show()
  })
  systemIsDark.addEventListener('change', show)
  show()
}
