/** The router stores the positions there, by the key of the history entry. */
export const SCROLL_KEY = "react-router-scroll-positions";

/** Scrolls before hydration, as the router does afterwards. Gives the first history entry a key. */
export const restoreScroll = import.meta.env.SSR
  ? `(function(){try{
if(!history.state||!history.state.key)history.replaceState({key:Math.random().toString(32).slice(2)},"");
var top=JSON.parse(sessionStorage.getItem("${SCROLL_KEY}")||"{}")[history.state.key];
if(typeof top==="number")scrollTo(0,top)
}catch(e){}})()`
  : "";
