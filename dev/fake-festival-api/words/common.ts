import { phrases } from "../grammar.ts";

export const common = {
  object: phrases(`
    ladder | kettle | trombone | cardigan | lighthouse | teaspoon | umbrella | tin opener | wardrobe | doorbell | bathtub | suitcase
    lampshade | accordion | thimble | wheelbarrow | sideboard | sandwich | toaster | telescope | spatula | hot-water bottle | fish slice
    bannister | teapot | anorak | bassoon | colander | parasol | rucksack | footstool | harmonica | jam jar | lawnmower
    mattress | napkin | oven glove | pancake | radiator | satchel | tandem | tricycle | waistcoat | xylophone | zip | bicycle pump
    dressing gown | egg timer | fruit bowl | garden gnome | hammock | ironing board | keyhole | letterbox | moustache | paperclip
    raincoat | sewing machine | traffic cone | stepladder | windowsill | biscuit tin | caravan | deckchair | cheese grater | bus pass
  `),
  objects: phrases(`
    ladders | kettles | trombones | cardigans | teaspoons | umbrellas | doorbells | suitcases | lampshades | thimbles | wheelbarrows
    sandwiches | toasters | spatulas | teapots | anoraks | rucksacks | pancakes | waistcoats | egg timers | garden gnomes | paperclips
    raincoats | traffic cones | biscuits | deckchairs | bus passes | spare keys | odd socks | small potatoes | left shoes | ironing boards
  `),
  animal: phrases(`
    pelican | badger | heron | otter | seal | hedgehog | whippet | puffin | ferret | gannet | capercaillie | stoat | lobster | goat
    pigeon | donkey | axolotl | cormorant | wasp | walrus | haddock | tortoise | moth | jackdaw | corgi | snail | llama | hen | mole
    narwhal | crab | newt | sparrow | ibex | weevil | woodlouse | octopus | seagull | ewe | pony
  `),
  animals: phrases(`
    pelicans | badgers | herons | otters | seals | hedgehogs | whippets | puffins | ferrets | gannets | stoats | lobsters | goats
    pigeons | donkeys | wasps | walruses | tortoises | moths | jackdaws | corgis | snails | llamas | hens | moles | crabs | newts
    sparrows | weevils | seagulls | ponies | bees | geese | sheep
  `),
  oddAdj: phrases(`
    borrowed | damp | reluctant | upholstered | feral | second-hand | lopsided | unposted | salted | left-handed | polite | unlikely
    overdue | portable | inflatable | cautious | nocturnal | flammable | imaginary | provincial | clockwork | velvet | tartan | stray
    wobbly | slightly foxed | rented | wandering | suspicious | unironed | buttered | seasick | homemade | forgotten | pickled | quiet
    ambitious | corduroy | lukewarm | midnight | upside-down | freelance | part-time | well-read | bashful | unfinished | spare
  `),
  adj: phrases(`
    brief | careful | tender | awkward | loud | small | enormous | gentle | reckless | stubborn | ordinary | terrible | lovely | ruined
    hopeful | minor | honest | guilty | tidy | lonely | sudden | wild | bitter | fragile | furious | difficult | useful | broken | bright
    patient | glorious | perfect | foolish | restless | unbearable | modest | medium | bewildered | decent | delicate | mild | silly
    smug | feeble | brave | shy | unhinged | sensible | chaotic | accidental | emotional | semi-detached | gluten-free | available
  `),
  abstract: phrases(`
    grief | hope | patience | regret | mercy | silence | nostalgia | envy | kindness | luck | doubt | longing | shame | courage | joy
    boredom | ambition | chaos | forgiveness | memory | trust | betrayal | gravity | privacy | sleep | thunder | glory | relief | dignity
    panic | belonging | disappointment | weather | divorce | parking | adulthood | admin | revenge | homesickness | optimism
  `),
  job: phrases(`
    lighthouse keeper | postmistress | locksmith | beekeeper | piano tuner | magistrate | dinner lady | bus driver | undertaker | cartographer
    supply teacher | mermaid | baker | registrar | astronaut | ferryman | seamstress | quantity surveyor | gravedigger | midwife | clockmaker
    weather presenter | notary | ghost | traffic warden | lollipop man | chemist | spy | taxidermist | librarian | welder | dentist
    translator | shepherd | stage manager | geologist | nun | tax inspector | crofter | cellist
  `),
  relation: phrases(`
    mother | father | sister | brother | grandmother | grandfather | aunt | uncle | daughter | son | wife | husband | neighbour
    landlord | ex | best friend | therapist | twin | godmother | flatmate
  `),
  place: phrases(`
    Leith | Fife | Orkney | Skye | Portobello | Aberdeen | Dundee | Morningside | the Borders | Cowdenbeath | Lower Pockle | Strathfennet
    Little Wabbing | Upper Thrumble | Port Quillan | Ballymuckle | Llanwibber | Much Dithering | Inverpiffle | Skelmergate | Uist
    Musselburgh | Kirkcaldy | the North Sea | Motherwell | Swindon | Grimsby | Norwich | Cardiff | Belfast | Galway | Lisbon | Marseille
    Melbourne | Winnipeg | Osaka | Lagos | Tallinn | Trieste | Tulsa | the Moon | Mars | Zone Six | the M8 | the Number 22 Bus | Row F
  `),
  town: phrases(`
    Strathfennet | Pockleby | Thrumble | Quillanport | Ballymuckle | Llanwibber | Inverpiffle | Skelmergate | Wabbington | Dunfettle
    Auchterwhinnie | Netherclough | Marrowmouth | Kilbrackie | Saltcombe Regis | West Tolling | Lintonhaugh | Eastmarsh | Glenwhirrie
    Fothersea | Port Merrin | Crannoch | Ashbury Parva | Lochanmore | New Thessaly | Port Esperance | Little Bergamot
  `),
  food: phrases(`
    soup | custard | haggis | toast | trifle | gravy | porridge | chips | jam | cheese | cake | tablet | noodles | pickle | marmalade
    shortbread | lentils | dumplings | mince | jelly | mustard | bread | stovies | scones | cranachan | anchovies
  `),
  instrument: phrases(`
    cello | clàrsach | fiddle | accordion | harp | ukulele | organ | marimba | oboe | viola | theremin | tin whistle | kora | sitar
    smallpipes | guitar | double bass | hurdy-gurdy | piano | saxophone
  `),
  number: phrases(
    `two | three | four | five | six | seven | eight | nine | eleven | twelve | thirteen | forty | a hundred | 1,001`,
  ),
  weekday: phrases(`Monday | Tuesday | Wednesday | Thursday | Friday | Saturday | Sunday`),
  month: phrases(
    `January | February | March | April | May | June | July | September | October | November | December`,
  ),
  season: phrases(`spring | summer | autumn | winter`),
  colour: phrases(
    `blue | red | green | yellow | orange | violet | grey | beige | magenta | teal | silver | gold | amber | scarlet`,
  ),
  cosa: phrases(
    `Luna | Lluvia | Naranja | Escalera | Sombra | Ventana | Cereza | Almohada | Piñata | Niebla | Farola | Montaña`,
  ),
  chose: phrases(
    `Parapluie | Citron | Brouillard | Tiroir | Papillon | Chapeau | Tonnerre | Réverbère | Trombone | Flâneur | Café | Hérisson`,
  ),
  ding: phrases(
    `Regenschirm | Löffel | Schatten | Zweifel | Mond | Krümel | Fernweh | Kühlschrank | Übermut | Traum | Zwölf`,
  ),
} satisfies Record<string, string[]>;
