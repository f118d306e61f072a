import { phrases } from "../grammar.ts";

/** What venues are called; none of these is a real one. */
export const venueNames = phrases(`
  The {OddAdj} {Object} | The {OddAdj} {Object} | The {OddAdj} {Animal} | The {Animal} & {Object} | The {Animal} and {Object} | {Object} & {Object} | {VenueBrand} at {building}
  {VenueBrand} at {building} | {VenueBrand} – {Building} | {VenueBrand} Studio {digit} | {Saint} Church Hall | {Saint} Kirk | {Building}, {Street} | {Street} Bookshop
  {Street} Community Centre | The {Street} Rooms | {Surname} Hall | {Surname} Hall, Studio {digit} | The {Surname} Hotel | {Street} Social Club | {Street} Cellar Bar | Café {Chose}
  The {OddAdj} Aunt | The {Object} Works | {Town} House | The Old {Workshop}, {Street} | {Animal} Yard | Bar {Ding} | {Saint} Episcopal Church | The {Surname} Gallery | Hidden {Object} Garden
`);

export const venueParts = {
  venueBrand: phrases(`
    Upturned Teacup | Wynd & Weather | Loose Slate | Ninepenny | Tenement Moon | Crooked Stair | Lintel | Haar House | Clatterbox | Third Landing | Skylark & Sons | Thrawn
    Paper Lantern Yard | The Bothy Upstairs | Merrygate | Drybrough's Elbow
  `),
  building: phrases(`
    the Tannery | the Old Ropeworks | the Cooperage | the Reading Room | the Counting House of Quill | the Cistern | the Wash House | the Seedstore | the Map Room | the Drying Green
    the Tram Shed | the Apothecary | the Undercroft | the Long Attic | the Chandlery | the Lamp Store | the Bakehouse | the Observatory Steps
  `),
  street: phrases(`
    Candlewick Wynd | Quill Close | Marrow Lane | Lantern Street | Coppergate Pend | Old Thimble Row | Foundling Close | Thrumble Street | Saltire Mews | Gorse Terrace | Lintwhite Place
    Tollkeeper's Brae | Half Moon Stair | Larkrise Gardens | Nether Vennel | Whin Street | Bellringer's Court | Pockle Road | Fiddler's Entry | Upper Haar Street
  `),
  saint: phrases(`
    St Drostanella's | St Quillan's | St Wimbold's | St Perpetua-by-the-Wall | St Tancred of Thrumble's | St Ebbwynn's | St Murdo the Lesser's | St Ursuline-in-the-Wynd | St Cadoc & St Fenn's | St Olafina's
  `),
  workshop: phrases(
    `Glove Factory | Signal Box | Bakery | Printworks | Fire Station | Dairy | Swimming Baths | Sorting Office | Brewhouse | Schoolhouse`,
  ),
  digit: phrases(`1 | 2 | 3 | 4`),
};

export const rooms = phrases(`
  Main Space | Studio | Studio 2 | The Attic | The Cellar | Upstairs | Back Room | Front Room | The Snug | The Nook | Ballroom | Room 1 | Room 2 | Room 3 | The Vault | Garden | Big Top | Library | The Dairy | Bar
`);
