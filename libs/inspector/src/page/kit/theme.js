// Applies the saved theme before the first paint, so this script is not a module.
const chosenTheme = localStorage.getItem('model-cache-theme')
if (chosenTheme) document.documentElement.dataset.theme = chosenTheme
