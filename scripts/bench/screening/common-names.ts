/**
 * 3,000 names of many people: twenty common given names combined with ten family names of fifteen regions, each in the local order. No name
 * and country of these may block a person (`TIERS.personBlockInformationMin`). Generated only from this table, so the list is the same
 * everywhere.
 */

interface Region {
  /** A plus joins the words of one person's given names, or of one family name. */
  readonly given: string
  readonly family: string
  readonly familyFirst?: true
}

const REGIONS: readonly Region[] = [
  {
    given:
      "James John Robert Michael William David Richard Joseph Thomas Charles Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen",
    family: "Smith Johnson Williams Brown Jones Davis Miller Wilson Taylor Anderson",
  },
  {
    given:
      "José Juan Luis Carlos Jorge Pedro Manuel Francisco Jesús Miguel María Guadalupe Juana Ana Rosa Carmen Laura Patricia Elena Sofía",
    family:
      "García+López Hernández+Martínez González+Rodríguez Pérez+Sánchez Ramírez+Cruz Flores+Gómez Morales+Reyes Torres+Díaz Gutiérrez+Ruiz Mendoza+Castillo",
  },
  {
    given:
      "João Antônio Carlos Paulo Pedro Lucas Marcos Gabriel Rafael Daniel Ana Maria Francisca Adriana Juliana Márcia Fernanda Patrícia Aline Sandra",
    family: "Silva Santos Oliveira Souza Lima Pereira Ferreira Costa Rodrigues Almeida",
  },
  {
    given:
      "Jean Pierre Michel André Philippe Alain Bernard Nicolas Laurent Christophe Marie Nathalie Isabelle Sylvie Catherine Françoise Monique Christine Sophie Julie",
    family: "Martin Bernard Dubois Robert Richard Petit Durand Leroy Moreau Laurent",
  },
  {
    given:
      "Thomas Michael Andreas Peter Stefan Christian Klaus Wolfgang Jürgen Frank Anna Maria Ursula Sabine Petra Monika Claudia Birgit Andrea Julia",
    family: "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann",
  },
  {
    given:
      "Aleksandr Sergey Vladimir Andrey Dmitry Aleksey Mikhail Ivan Nikolay Igor Yelena Olga Natalya Tatyana Svetlana Irina Anna Maria Yekaterina Lyudmila",
    family: "Ivanov Smirnov Kuznetsov Popov Petrov Sokolov Volkov Morozov Novikov Kozlov",
  },
  {
    given:
      "Sergey+Ivanovich Aleksandr+Nikolayevich Vladimir+Vladimirovich Andrey+Viktorovich Dmitry+Sergeyevich Aleksey+Petrovich Mikhail+Mikhailovich Ivan+Ivanovich Nikolay+Aleksandrovich Igor+Anatolyevich " +
      "Viktor+Vasilyevich Oleg+Yuryevich Yury+Alekseyevich Pavel+Andreyevich Maksim+Igorevich Anatoly+Dmitrievich Vasily+Fyodorovich Roman+Olegovich Denis+Valeryevich Yevgeny+Borisovich",
    family: "Ivanov Petrov Sidorov Vasilyev Fyodorov Mikhailov Pavlov Semyonov Stepanov Nikolayev",
  },
  {
    given:
      "Mohammed Ahmed Ali Hassan Hussein Omar Khalid Ibrahim Mahmoud Mustafa Abdullah Yusuf Saeed Salem Fatima Aisha Khadija Zainab Maryam Noor",
    family: "Ali Hassan Ahmed Mohammed Abdullah Saleh Mahmoud Khalil Mansour Haddad",
  },
  {
    given:
      "Mohammed+Ahmed Ahmed+Ali Ali+Hassan Hassan+Mohammed Omar+Abdullah Khalid+Ibrahim Ibrahim+Mohammed Mahmoud+Ahmed Abdullah+Saleh Yusuf+Ali " +
      "Abdul+Rahman Abdul+Aziz Saeed+Mohammed Salem+Ahmed Hamad+Khalifa Nasser+Ali Faisal+Abdullah Tariq+Mahmoud Samir+Hussein Walid+Khalid",
    family: "al-Masri al-Ahmad al-Shehri al-Ghamdi al-Qahtani al-Hashimi al-Maliki al-Jabouri al-Dosari al-Harbi",
  },
  {
    given:
      "Reza Mehdi Amir Hossein Ali Mohammad Hamid Saeed Majid Masoud Fatemeh Zahra Maryam Leila Sara Nasrin Narges Parisa Shirin Mina",
    family: "Mohammadi Ahmadi Hosseini Karimi Rezaei Moradi Jafari Hashemi Rahimi Mousavi",
  },
  {
    given:
      "Muhammad+Imran Muhammad+Asif Abdul+Rehman Usman Bilal Imran Tariq Faisal Kamran Nadeem Sanjay Rajesh Amit Anil Sunil Vijay Priya Sunita Anita Pooja",
    family: "Khan Ahmed Malik Hussain Shah Kumar Singh Sharma Patel Gupta",
  },
  {
    given: "Wei Fang Min Jing Li Qiang Lei Jun Yang Yong Yan Jie Juan Tao Ming Chao Xiuying Hua Ping Gang",
    family: "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou",
    familyFirst: true,
  },
  {
    given:
      "Min-jun Ji-hoon Sung-ho Young-ho Jae-hyun Chol Yong-chol Kwang-su Myong-su Song-il Chang-ho Tae-il Hak-chol Nam-chol Ji-young Mi-sook Eun-ju Soo-jin Hye-jin Yong-hui",
    family: "Kim Lee Park Choi Ri Pak Kang Jung Cho Yoon",
    familyFirst: true,
  },
  {
    given:
      "Van+Hung Van+Minh Van+Dung Van+Tuan Van+Hai Van+Thanh Duc+Anh Quoc+Huy Minh+Tuan Anh+Tuan Thi+Lan Thi+Hoa Thi+Huong Thi+Mai Thi+Thu Thi+Hang Thi+Nga Thi+Linh Ngoc+Anh Thu+Ha",
    family: "Nguyen Tran Le Pham Hoang Huynh Phan Vu Dang Bui",
    familyFirst: true,
  },
  {
    given:
      "Emmanuel Samuel Daniel Joseph Peter John Musa Abubakar Ibrahim Sani Grace Blessing Mary Fatou Aminata Mamadou Ousmane Kwame Kofi Tesfaye",
    family: "Okafor Adeyemi Mensah Diallo Traoré Ndiaye Kamau Mwangi Bekele Mohamed",
  },
]

/** Longer names of many people: of four and five words, not counting particles. */
const LONG: readonly Region[] = [
  {
    given: "John+Michael+David Mary+Elizabeth+Ann James+Robert+William",
    family: "Smith Johnson Williams Taylor",
  },
  {
    given:
      "José+Luis Juan+Carlos María+Guadalupe Ana+María Miguel+Ángel Luis+Fernando Rosa+María José+Antonio María+del+Carmen",
    family: "García+López Hernández+Martínez González+Rodríguez Pérez+Sánchez García+de+la+Cruz López+Hernández+García",
  },
  {
    given: "Maria+Aparecida José+Carlos Ana+Paula João+Paulo Antônio+Carlos",
    family: "Oliveira+dos+Santos Ferreira+da+Silva Oliveira+da+Silva+Souza Pereira+da+Costa",
  },
  {
    given: "Thi+Minh+Tuan Thi+Thu+Ha Van+Minh+Duc Thi+Ngoc+Anh Thi+Kim+Lan",
    family: "Nguyen Tran Le Pham",
    familyFirst: true,
  },
  {
    given:
      "Mohammed+Ahmed+Ali Ahmed+Mohammed+Hassan Ali+Hassan+Ibrahim Abdullah+Mohammed+Saleh Abd+al-Rahman+bin+Mohammed " +
      "Abdul+Aziz+bin+Abdullah+bin+Mohammed",
    family: "Hassan al-Ghamdi al-Qahtani Mahmoud",
  },
]

/** In their written form, without duplicates. */
export const commonNames = (): readonly string[] => namesOf(REGIONS)
export const longCommonNames = (): readonly string[] => namesOf(LONG)

function namesOf(regions: readonly Region[]): readonly string[] {
  return regions.flatMap(({ given, family, familyFirst }) =>
    wordsOf(given).flatMap((first) =>
      wordsOf(family).map((last) => (familyFirst ? `${last} ${first}` : `${first} ${last}`)),
    ),
  )
}

const wordsOf = (text: string): readonly string[] => text.split(" ").map((word) => word.replaceAll("+", " "))
