import { phrases } from "../grammar.ts";

export const firstNames = phrases(`
  Mirren | Tobias | Ottoline | Fergus | Isla | Hamish | Zoë | Chloë | Renée | André | Inés | Björn | Søren | Siân | Niamh
  Caoimhe | Aoife | Eilidh | Ruaridh | Catrìona | Mòrag | Seòras | Iain | Oluchi | Temidayo | Adaeze | Kwabena | Ngozi | Anjali
  Rohan | Farhana | Zainab | Yusuf | Leïla | Amélie | Noémie | Gaël | Haruko | Kenji | Łucja | Zofia | Marek | Milica | Lúcia
  Thiago | Beatriz | Ximena | Delphine | Rafferty | Bronagh | Cormac | Saoirse | Tamsin | Jory | Elowen | Gethin | Rhiannon
  Emrys | Hetty | Barnaby | Clementine | Rufus | Winifred | Percival | Agatha | Cedric | Mabel | Horatio | Blythe | Juno
  Phoebe | Linus | Ingrid | Astrid | Torsten | Maren | Odile | Thierry | Océane | Bastien | Paloma | Mateo | Nuria | Álvaro
  Efua | Sade | Babatunde | Wanjiru | Tendai | Thandeka | Sipho | Meera | Devika | Arjun | Nasreen | Imran | Parisa | Dariush
  Shirin | Elif | Cem | Noor | Samira | Idris | Yara | Tariq | Sunniva | Aino | Väinö | Kaisa | Ilse | Jürgen | Käthe | Benedikt
  Miyu | Satoko | Jun | Hana | Minh | Linh | Suda | Marisol | Oriel | Peregrine | Tansy | Hester | Roddy | Shona | Senga | Dougal
  Morven | Archie | Kirsty | Callum | Effie | Jean | Walter | Bernice | Clive | Doreen | Nigel | Gaynor | Trevor | Sheila | Glenda
  Ailsa | Marsaili | Torquil | Lorcan | Fionnuala | Orlaith | Dervla | Eoghan | Cadell | Myfanwy | Ffion | Ianto | Lowenna | Denzel | Merryn
  Cosmo | Ludo | Hermione | Cressida | Araminta | Bartholomew | Ignatius | Thaddeus | Cornelius | Prudence | Constance | Ottilie | Florian
  Anouk | Gaspard | Solène | Corentin | Léonie | Ysolde | Rocío | Iker | Nerea | Joaquín | Itziar | Tomás | Graça | Duarte | Inácio
  Bogdana | Radek | Jarmila | Václav | Zuzana | Bohdan | Oksana | Ivo | Mirjam | Pál | Réka | Zsófia | Henrik | Solveig | Ragnhild | Eskil
  Akosua | Kofi | Zanele | Lindiwe | Chidi | Folake | Amara | Makena | Desta | Hiwot | Nadir | Leyla | Rumi | Jahan | Soraya | Kavita
  Vikram | Ishani | Nikhil | Padma | Tashi | Dolma | Bao | Xiu | Jia-Ling | Soo-ah | Min-jun | Ryo | Aiko | Takumi | Malia | Tane | Aroha
`);

/** Surnames made up for this programme. */
export const surnames = phrases(`
  Thistlewick | Marrowby | Quillfeather | Pockleton | Brannigoe | Tolquhane | Fennimuir | Oddcastle | Larkspurling | Dunwhistle
  Crumbleholt | Wetherspindle | Ashgrapple | Hobblethwaite | Mossgarrow | Pellingtoft | Skeldermoor | Trundlewick | Vexcombe
  Wimblestraw | Yarrowgate | Buntingforth | Cobblepath | Dappleby | Eddlestrang | Fothermuckle | Gorsewhin | Harkaway-Bligh
  Inverquhar | Jessamander | Kettleborn | Lintwhite | Mucklebrae | Netherpool | Ottershank | Pindlehurst | Quernstone | Rooksmead
  Saltmarrow | Tattiebogle | Underlarch | Vanterpole | Wranglethorn | Bellweather | Cantrip | Drumfinnan | Eskmarrow | Flannagoe
  Glimmerholt | Hintlesham-Oke | Ickenshaw | Jollifer | Knockanroe | Lowrigmuir | Merriholm | Nobblesworth | Orrinquist | Pibworthy
  Adeyolu | Okwandu | Nkemaris | Mbalefu | Abiodaro | Tesfamarin | Wanjokari | Chakrapuri | Devansharma | Rahmanoor | Siddiqara
  Banerjola | Patwari-Snell | Hosokura | Minazawa-Pike | Takehoshi | Kiriyanagi | Yoonseong | Linzhaor | Nguyendell | Wojtalski
  Drzewin | Brzoskova | Marchlewka | Horvatesh | Dragomirov-Tate | Villarmonte | Santorrosa | Quintabela | Olivarosa | Montesquera
  Beauforêt | Grandpluie | Desrivages | Lachaumette | Petitjardin-Roe | Sauvagnole | Rosenquell | Bergstrudel | Überwald-Finch
  Lindströmme | Hallgrimsey | Kvistmark | Sørenfjeld | Åkerlunde | Määttälä-Woods | Özgürel | Demirkale | Farrokhzahn | Azadani-Platt
  O'Tarrigle | O'Fennimore | D'Ombrevelle | Ó Murchalla | Ó Gealbháin | Mac an Droma | Nic an t-Sneachda | MacFhuaraig | ap Rhosyn | Llanfeddyn | Trevannick | Penhallowe
  Bagshawe-Moon | Quigglesworth | Snodderly | Tarradale-Hix | Umpleford | Whistlecroft | Zanderbilt | Brocklebeam | Cuddyshaw
`);

/** Stage names of cabaret: an honorific and a thing. */
export const honorifics = phrases(`
  Duchess | Madame | Miss | Lady | Sister | Contessa | Professor | Baron | Dame | Señorita | Monsieur | Auntie | Cousin | Doctor
  Mother | Captain | Empress | Mistress | Comrade | Frau
`);
export const stageSurnames = phrases(`
  Tarmac | Pavlova | Rhubarb | Velour | Turbulence | Chandelier | Lambswool | Sequinella | Haptic | Marzipan | Bouclé | Semolina
  Tinsel | Hysteria | Doily | Cutlass | Meringue | Feathercut | Scandale | Thunderthigh | Lozenge | Cravat | Moonboot | Von Trouble
  Gravy | Ricochet | Damask | Papaya | Lumbago | Diphthong | Pompadour | Crinoline | Nightbus | Paprika | Heartburn | Cassoulet
`);

export const companyNames = phrases(`
  {OddAdj} {Object} Theatre | {OddAdj} {Object} Productions | {OddAdj} {Object} | The {OddAdj} {Object} Company | {Object} & {Object}
  {Object} and {Object} | Company {Object} | {Object} Collective | {OddAdj} {Animal} Theatre Company | {OddAdj} {Animal} | {Animal}works
  The {Object} Players | {Town} Youth Theatre | University of {Town} Revue | {Town} University Drama Society | {Surname} & {Surname}
  {Surname}/{Surname} | Teatro de la {Cosa} | Compagnie {Chose} | Théâtre du {Chose} | Theater {Ding} | Companhia {Cosa}
  {OddAdj} {Object} in association with {Town} Arts Centre | {First} {Surname} and {OddAdj} {Object} | Cluas-chiùil | Còmhlan {Cosa}
  {Town} High School Theatre | {Object} Ensemble | {Number} {Animals} | {OddAdj} Aunts | {First}'s {Object} | The {Animal}'s Elbow | My {Relation}'s {Animal} | {Object} {Object} {Object} | Studio {Ding}
`);
export const bandNames = phrases(`
  The {OddAdj} {Animals} | {Surname} Quartet | The {Surname} Trio | {Town} Community Choir | {First} {Surname} | {First} {Surname} and the {Objects}
  The {Objects} | {Town} Sinfonia | {Surname} & {Surname} | {OddAdj} {Object} Orchestra | The {Town} Ceilidh Band | Coro {Cosa}
  {Town} University Barbershop | The {OddAdj} Notes | Treble at the {Object} | {Object} Brass | {Animal} Club | Còisir {Town}
`);
export const improvTroupes = phrases(`
  The {OddAdj} {Objects} | {OddAdj} {Animals} | {Object} Prov | {Town} University Improv | Yes And {Animals} | {Number} Wet {Objects}
`);
